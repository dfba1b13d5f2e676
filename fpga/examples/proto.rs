use em_rtl::{config::Profile, top::EmTop};
fn main() {
    let name = std::env::args().nth(1).unwrap();
    let config = Profile::named("ecp5").unwrap().config;
    let d = hdl::elaborate(&EmTop { config }).unwrap();
    let i = d.modules.iter().position(|m| m.name == name).unwrap();
    let d = hdl::Design { modules: d.modules[..=i].to_vec() };
    println!("{}", em_fpga::harness::verilog(d.top()));
    let s = em_fpga::Synthesis::new(hdl::verilog::emit(&d, &Default::default()), &d.top().name).define("EM_TECH_ECP5");
    let f = s.framed(d.top()).unwrap();
    eprintln!("{:?} {:?}", f.block, f.frame);
    std::fs::write("/tmp/fpga/net.json", f.netlist).unwrap();
}

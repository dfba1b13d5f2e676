//! Rates and latencies over the length, as an SVG.

use crate::fail::Fail;
use em_testbench::bench::{Dir, Report, Row};
use plotters::prelude::*;

const SIZE: (u32, u32) = (1000, 720);
/// Longest frame on the axis: longer ones would leave no room for the others.
const LONGEST: usize = 2100;

/// Two charts: bytes a clock, which is frames a clock by the length, with the bound; and latency.
pub fn svg(report: &Report) -> Result<String, Fail> {
    let mut text = String::new();
    draw(report, &mut text).map_err(|e| Fail::run(format!("the plot cannot be drawn: {e}.")))?;
    Ok(text)
}

type Drawn = Result<(), Box<dyn std::error::Error>>;

fn draw(report: &Report, text: &mut String) -> Drawn {
    let area = SVGBackend::with_string(text, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let title = format!("Profile {}, {} bit a beat: {}", report.profile, report.data_w, "NAT of UDP over IPv4");
    let area = area.titled(&title, ("sans-serif", 22))?;
    let (upper, lower) = area.split_vertically(SIZE.1 * 6 / 10);
    let rows: Vec<&Row> = report.rows.iter().filter(|r| r.frame_bytes <= LONGEST).collect();
    let lengths = rows.iter().map(|r| r.frame_bytes);
    let range = lengths.clone().min().unwrap_or(0)..lengths.max().unwrap_or(1) + 1;
    let bytes = |row: &Row, rate: f64| row.frame_bytes as f64 * rate;
    let top = f64::from(report.data_w / 8) * 1.05;
    let mut chart = ChartBuilder::on(&upper)
        .margin(12)
        .x_label_area_size(34)
        .y_label_area_size(60)
        .build_cartesian_2d(range.clone(), 0.0..top)?;
    chart.configure_mesh().y_desc("bytes a clock").x_desc("bytes of a frame, without FCS").draw()?;
    // The bound is broad, so that lines that lie on it show.
    let of = |dir: Dir, updates: bool| rows.iter().filter(move |r| r.dir == dir && r.updates == updates);
    chart
        .draw_series(LineSeries::new(
            of(Dir::Tx, false).map(|r| (r.frame_bytes, bytes(r, r.bound))),
            BLACK.mix(0.2).stroke_width(7),
        ))?
        .label("bound: a frame every max(beats in, beats out) clocks")
        .legend(|(x, y)| PathElement::new([(x, y), (x + 18, y)], BLACK.mix(0.2).stroke_width(7)));
    for (line, (dir, updates)) in
        [(Dir::Tx, false), (Dir::Rx, false), (Dir::Both, false), (Dir::Both, true)].into_iter().enumerate()
    {
        let colour = Palette99::pick(line).stroke_width(if updates { 1 } else { 2 });
        let name = if updates { format!("{}, tables rewritten", dir.name()) } else { dir.name().into() };
        chart
            .draw_series(LineSeries::new(
                of(dir, updates).map(|r| (r.frame_bytes, bytes(r, r.frames_per_clock))),
                colour,
            ))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour));
    }
    chart.configure_series_labels().background_style(WHITE.mix(0.8)).border_style(BLACK).draw()?;

    let most = rows.iter().map(|r| r.latency_clocks).max().unwrap_or(1);
    let mut chart = ChartBuilder::on(&lower)
        .margin(12)
        .x_label_area_size(34)
        .y_label_area_size(60)
        .build_cartesian_2d(range, 0..most + most / 4 + 1)?;
    chart.configure_mesh().y_desc("latency, clocks").x_desc("bytes of a frame, without FCS").draw()?;
    for (line, (dir, updates)) in [(Dir::Tx, false), (Dir::Rx, false), (Dir::Both, true)].into_iter().enumerate() {
        let colour = Palette99::pick(line).stroke_width(3 - line as u32);
        let name = if updates { format!("{}, tables rewritten", dir.name()) } else { dir.name().into() };
        chart
            .draw_series(LineSeries::new(of(dir, updates).map(|r| (r.frame_bytes, r.latency_clocks)), colour))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour));
    }
    chart.configure_series_labels().background_style(WHITE.mix(0.8)).border_style(BLACK).draw()?;
    area.present()?;
    Ok(())
}

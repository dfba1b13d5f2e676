//! The registers that program limiters of frames to the Orchestration Module.

use super::{
    MapConfig, Reg,
    decode::{lower, part},
};
use crate::{
    outcome::Outcome,
    punt::{LimitRule, LimitWrite, REASON_W},
};
use hdl::*;

/// What the registers hold, and whether there is the limiter that is selected.
pub(super) struct Limiters {
    /// Value of each register.
    pub values: Vec<(Reg, Bits)>,
    /// There is no limiter of this number.
    pub absent: Bits,
}

/// Keeps the registers by `store`, and drives `limit` a clock after `install`.
#[names]
pub(super) fn limiters(
    config: &MapConfig,
    limit: &LimitWrite<Bits>,
    install: Bits,
    store: impl Fn(Reg) -> Bits,
) -> Limiters {
    let registers = [Reg::PuntLimitSelect, Reg::PuntLimitInterval, Reg::PuntLimitBurst, Reg::PuntLimitMatch];
    let values = registers.map(|reg| (reg, store(reg).named(&lower(reg))));
    let [limiter, interval, burst, fits] = values.map(|(reg, value)| part(&reg.fields()[0], value));
    let [.., (_, rule)] = values;
    let of_rule = |name: &str| part(Reg::PuntLimitMatch.field(name), rule);

    let limiter_w = limit.limiter.width();
    let absent = limiter.ge(u64::from(config.punt_limits));
    limit.install.reset(0).set(install & !absent);
    limit.limiter.set(limiter.trunc(limiter_w));
    limit.interval.set(interval);
    limit.burst.set(burst);
    // A code that is no punt's fits nothing, nor does a function that there is not.
    let reason = of_rule("reason");
    let is_punt = reason.slice(REASON_W..).eq(Outcome::PuntUnmatched.code() >> REASON_W);
    let any_reason = of_rule("any_reason");
    let any_function = of_rule("any_function");
    let function_w = limit.rule.function.width();
    let exists = if function_w < fits.width() { !fits.slice(function_w..).any() } else { lit(1, 1) };
    let fits_some = (is_punt | any_reason) & (exists | any_function);
    let rule = LimitRule {
        enable: of_rule("enable") & fits_some,
        any_function,
        function: fits.trunc(function_w),
        any_reason,
        reason: reason.trunc(REASON_W),
    };
    assign(&limit.rule, &rule);
    Limiters { values: values.into(), absent }
}

//! The engines as the driver uses them: chosen by name, run under limits, faults told as diagnostics.

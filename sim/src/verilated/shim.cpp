// The C interface of one Verilator model: generated parts are EM_TRACE_*, EM_RANDOM and em_port's cases.
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "Vem.h"
#include "verilated.h"
#if VM_COVERAGE
#include "verilated_cov.h"
#endif
#if VM_TRACE_FST
#include "verilated_fst_c.h"
using TraceFile = VerilatedFstC;
#elif VM_TRACE_VCD
#include "verilated_vcd_c.h"
using TraceFile = VerilatedVcdC;
#endif

#define EM_API extern "C" __attribute__((visibility("default")))

namespace {

constexpr size_t KEPT_FAILURES = 1000;
constexpr size_t KEPT_OUTPUT = 1 << 20;
constexpr uint64_t HALF_PERIOD = 5;

struct Failure {
    std::string file;
    uint32_t line;
    uint64_t cycle;
    std::string message;
};

struct Fatal {};

struct Instance {
    VerilatedContext context;
    std::unique_ptr<Vem> top;
    uint64_t cycles = 0;
    uint64_t failure_count = 0;
    std::vector<Failure> failures;
    std::string said;    // by $display in this evaluation
    std::string output;  // by $display since it was last taken
    bool finished = false;
    bool closing = false;  // a trace file is being closed, partly in destructors: nothing may be thrown
    bool dead = false;  // the runtime gave up; evaluating again is not safe
#if VM_TRACE
    std::unique_ptr<TraceFile> trace;
#endif
};

thread_local Instance* current = nullptr;

void record(const char* file, int line, const char* message) {
    if (!current) return;
    ++current->failure_count;
    if (current->failures.size() >= KEPT_FAILURES) return;
    std::string text = message ? message : "";
    if (!current->said.empty()) {
        while (!current->said.empty() && current->said.back() == '\n') current->said.pop_back();
        const size_t last = current->said.rfind('\n');
        text = last == std::string::npos ? current->said : current->said.substr(last + 1);
    }
    current->said.clear();
    current->failures.push_back({file ? file : "", static_cast<uint32_t>(line), current->cycles, text});
}

void evaluate(Instance* self) {
    if (self->dead) return;
    self->top->eval();
}

#if VM_TRACE
void close_trace(Instance* self) {
    if (!self->trace) return;
    self->closing = true;
    self->trace->close();
    self->trace.reset();
    self->closing = false;
}
#endif

template <typename Work>
uint64_t guarded(Instance* self, Work work) {
    current = self;
    self->said.clear();
    Verilated::threadContextp(&self->context);
    try {
        work();
    } catch (const Fatal&) {
        self->dead = true;
    } catch (const std::exception& problem) {
        record("", 0, problem.what());
        self->dead = true;
    }
    current = nullptr;
    return self->failure_count;
}

}  // namespace

void vl_stop(const char* file, int line, const char*) { record(file, line, ""); }
void vl_finish(const char*, int, const char*) {
    if (current) current->finished = true;
}
// The runtime's own errors, such as logic that never settles: it does not expect this to return.
void vl_fatal(const char* file, int line, const char*, const char* message) {
    record(file, line, message);
    // The trace writer, which failed to write, closes its file itself.
    if (current && current->closing) return;
    throw Fatal{};
}
void vl_warn(const char* file, int line, const char*, const char* message) { record(file, line, message); }

int em_printf(const char* format, ...) {
    char small[512];
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    if (length < 0 || !current) return length;
    std::string text(small, length < static_cast<int>(sizeof small) ? length : 0);
    if (length >= static_cast<int>(sizeof small)) {
        text.resize(length + 1);
        va_start(args, format);
        vsnprintf(&text[0], text.size(), format, args);
        va_end(args);
        text.resize(length);
    }
    if (current->output.size() + text.size() <= KEPT_OUTPUT) current->output += text;
    if (current->said.size() < KEPT_OUTPUT) current->said += text;
    return length;
}

// The caller sets the inputs, which may be random, before the first evaluation.
EM_API Instance* em_new(int seed) {
    Instance* const self = new Instance;
    guarded(self, [&] {
        self->context.randReset(EM_RANDOM ? 2 : 0);
        self->context.randSeed(seed);
        self->context.fatalOnError(false);
#if VM_TRACE
        self->context.traceEverOn(true);
#endif
        self->top.reset(new Vem{&self->context, "TOP"});
    });
    return self;
}

EM_API void em_free(Instance* self) {
    guarded(self, [&] {
#if VM_TRACE
        close_trace(self);
#endif
        if (!self->dead) self->top->final();
    });
    current = self;
    self->top.reset();
    current = nullptr;
    Verilated::threadContextp(nullptr);
    delete self;
}

EM_API void* em_port(Instance* self, uint32_t index) {
    switch (index) {
EM_PORT_CASES
    default: return nullptr;
    }
}

EM_API uint64_t em_eval(Instance* self) {
    return guarded(self, [&] { evaluate(self); });
}

EM_API uint64_t em_tick(Instance* self, CData* clock, uint64_t count) {
    const uint64_t before = self->failure_count;
    return guarded(self, [&] {
        for (; count && self->failure_count == before && !self->dead; --count) {
            if (!self->said.empty()) self->said.clear();
#if VM_TRACE
            if (self->trace) {
                evaluate(self);
                self->trace->dump(self->context.time());
            }
#endif
            self->context.timeInc(HALF_PERIOD);
            *clock = 1;
            evaluate(self);
#if VM_TRACE
            if (self->trace) self->trace->dump(self->context.time());
#endif
            self->context.timeInc(HALF_PERIOD);
            *clock = 0;
            evaluate(self);
            ++self->cycles;
        }
    });
}

EM_API uint64_t em_cycles(const Instance* self) { return self->cycles; }
EM_API int em_finished(const Instance* self) { return self->finished; }
EM_API int em_dead(const Instance* self) { return self->dead; }

EM_API int em_failure(const Instance* self, uint64_t index, const char** file, uint32_t* line, uint64_t* cycle,
                      const char** message) {
    if (index >= self->failures.size()) return 0;
    const Failure& failure = self->failures[index];
    *file = failure.file.c_str();
    *line = failure.line;
    *cycle = failure.cycle;
    *message = failure.message.c_str();
    return 1;
}

EM_API const char* em_output(const Instance* self) { return self->output.c_str(); }
EM_API void em_clear_output(Instance* self) { self->output.clear(); }

// 0: built without; 1: done; 2: the file could not be written.
EM_API int em_trace_on(Instance* self, const char* file) {
#if VM_TRACE
    int result = 1;
    guarded(self, [&] {
        close_trace(self);
        self->trace.reset(new TraceFile);
        self->top->trace(self->trace.get(), 99);
        self->trace->open(file);
        if (!self->trace->isOpen()) {
            self->trace.reset();
            result = 2;
        }
    });
    return result;
#else
    return 0;
#endif
}

EM_API void em_trace_off(Instance* self) {
#if VM_TRACE
    guarded(self, [&] {
        if (!self->trace) return;
        evaluate(self);
        self->trace->dump(self->context.time());
        close_trace(self);
    });
#endif
}

EM_API int em_coverage(Instance* self, const char* file) {
#if VM_COVERAGE
    guarded(self, [&] { self->context.coveragep()->write(file); });
    return 1;
#else
    return 0;
#endif
}

/**
 * The SDK keeps a stack trace of every promise that a waiting run holds, and some fifty of them are
 * more than half of what it costs (architecture.md, budgets). This many lines say where a workflow
 * waits. Loaded before any run, once for all: the global objects are frozen afterwards.
 */
const lines = 3

const traced: ErrorConstructor & { stackTraceLimit?: number } = Error
traced.stackTraceLimit = lines

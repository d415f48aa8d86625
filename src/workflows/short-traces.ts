/**
 * The SDK keeps a stack trace of every promise that a waiting run holds. Some fifty of them are
 * more than half of the run's memory (architecture.md, budgets). This many lines show where a
 * workflow waits. It is set before any run, because the global objects are frozen afterwards.
 */
const lines = 3

const traced: ErrorConstructor & { stackTraceLimit?: number } = Error
traced.stackTraceLimit = lines

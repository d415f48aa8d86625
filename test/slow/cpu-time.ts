/**
 * What this thread's share of a core was needed for, in milliseconds: other processes do not count,
 * as they do on a clock.
 */
export function cpuMsOf(work: () => void): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

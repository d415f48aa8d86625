/**
 * Starts to measure: the returned function says how many milliseconds have passed. Of two clocks
 * the larger answer counts: one stands still while the machine sleeps, the other can be set back.
 */
export function measureTime(): () => number {
  const [monotonicMs, wallMs] = [performance.now(), Date.now()]
  return () => Math.max(performance.now() - monotonicMs, Date.now() - wallMs)
}

/** Half of the time after which Temporal gives up an activity without a heartbeat. */
const validForMs = 5000

/** Whether others may count a process as lost that has stood still for so long. */
export function isLate(elapsedMs: () => number): boolean {
  return elapsedMs() > validForMs
}

/**
 * Whether a recorded start is valid at the moment when its effect begins. A process that is stopped
 * after the start (by SIGSTOP, or because its machine sleeps) counts as lost; people may have let
 * the call run again before it continues. `elapsedMs`: the time since the start was sent. Beyond
 * five seconds `confirm` reads whether anybody has given the attempt up, again if that takes as
 * long.
 */
export async function isStillValid(
  elapsedMs: () => number,
  confirm: () => Promise<boolean>,
): Promise<boolean> {
  let passedMs = elapsedMs
  while (isLate(passedMs)) {
    passedMs = measureTime()
    if (!(await confirm())) return false
  }
  return true
}

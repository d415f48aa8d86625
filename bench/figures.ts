/** Median and 95th percentile of samples in milliseconds, rounded to a hundredth. */
export function percentiles(samplesMs: readonly number[]): { p50: number; p95: number } {
  const sorted = samplesMs.toSorted((left, right) => left - right)
  return { p50: round(at(sorted, 0.5)), p95: round(at(sorted, 0.95)) }
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export function round(value: number): number {
  return Math.round(value * 100) / 100
}

/** Milliseconds on the clock that all processes of the machine share. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

/** Runs `work` for each item, at most `atOnce` at the same time. */
export async function inParallel<T, R>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  const queue = items.entries()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const [place, item] of queue) results[place] = await work(item)
    }),
  )
  return results
}

export function rest(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

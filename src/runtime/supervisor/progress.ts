const quietMs = 2_000
const repeatMs = 10_000

export interface Progress {
  readonly say: (sentence: string) => void
  /** Runs the work; reports it after two seconds, and again every ten. */
  readonly during: <T>(what: string, work: () => Promise<T>) => Promise<T>
}

/** Progress as lines for a person. `write` gets each without its line end. */
export function createProgress(write: (line: string) => void): Progress {
  return {
    say: write,
    during: async (what, work) => {
      const startedAt = performance.now()
      const seconds = () => ((performance.now() - startedAt) / 1000).toFixed(1)
      let repeat: NodeJS.Timeout | undefined
      const first = setTimeout(() => {
        write(`${what} …`)
        repeat = setInterval(() => write(`${what} … ${seconds()} s`), repeatMs)
      }, quietMs)
      try {
        const result = await work()
        if (repeat !== undefined) write(`${what}: done in ${seconds()} s`)
        return result
      } finally {
        clearTimeout(first)
        clearInterval(repeat)
      }
    },
  }
}

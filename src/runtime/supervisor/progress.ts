import { sayWhileSlow } from '../processes/say-while-slow.ts'

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
      using slow = sayWhileSlow((isAgain) =>
        write(isAgain ? `${what} … ${seconds()} s` : `${what} …`),
      )
      const result = await work()
      if (slow.isSaid) write(`${what}: done in ${seconds()} s`)
      return result
    },
  }
}

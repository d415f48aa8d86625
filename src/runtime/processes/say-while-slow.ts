const quietMs = 2_000
const repeatMs = 10_000

/** A wait that a person is told about while it lasts. */
export interface SlowWait extends Disposable {
  /** it has been told about */
  readonly isSaid: boolean
}

/** Calls `say` after two seconds and then every ten, until it is disposed of. */
export function sayWhileSlow(say: (isAgain: boolean) => void): SlowWait {
  let repeat: NodeJS.Timeout | undefined
  const first = setTimeout(() => {
    say(false)
    repeat = setInterval(() => say(true), repeatMs)
  }, quietMs)
  return {
    get isSaid() {
      return repeat !== undefined
    },
    [Symbol.dispose]() {
      clearTimeout(first)
      clearInterval(repeat)
    },
  }
}

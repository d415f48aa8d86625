/** A bound that an installation may set: its default and its range. */
interface LimitSetting {
  readonly usual: number
  readonly min: number
  readonly max: number
}

const kib = 1024
const mib = 1024 * kib
const gib = 1024 * mib

/** The bounds of security.md 24 that can be configured, by their names in `COUNTERSIGN_LIMITS`. */
export const limitSettings = {
  httpBodyBytes: { usual: 12 * mib, min: 64 * kib, max: 64 * mib },
  pathBytes: { usual: 1024, min: 64, max: 4096 },
  pathComponents: { usual: 64, min: 4, max: 256 },
  writeBytes: { usual: 8 * mib, min: kib, max: 32 * mib },
  editsPerCall: { usual: 200, min: 1, max: 1000 },
  /** of a script of `shell`, and how many of its simple commands can be pre-approved */
  scriptBytes: { usual: 8 * kib, min: 256, max: 64 * kib },
  scriptCommands: { usual: 50, min: 1, max: 200 },
  /** of a command; the bytes of all together */
  commandArguments: { usual: 256, min: 1, max: 1024 },
  argumentBytes: { usual: 64 * kib, min: kib, max: 128 * kib },
  /** how long a command may run without a timeout in its call, and at most */
  timeoutSeconds: { usual: 120, min: 1, max: 3600 },
  timeoutMostSeconds: { usual: 3600, min: 1, max: 3600 },
  storedOutputBytes: { usual: 10 * mib, min: 64 * kib, max: 64 * mib },
  shownToModelBytes: { usual: 64 * kib, min: kib, max: mib },
  sandboxMemoryBytes: { usual: 2 * gib, min: 64 * mib, max: 1024 * gib },
  sandboxProcesses: { usual: 256, min: 8, max: 32_768 },
  sandboxWrittenBytes: { usual: gib, min: mib, max: 1024 * gib },
  callsPerTurn: { usual: 100, min: 1, max: 200 },
  pendingRequestsPerRun: { usual: 100, min: 1, max: 200 },
  reasonCharacters: { usual: 4000, min: 100, max: 20_000 },
  delegationDepth: { usual: 5, min: 1, max: 10 },
  preferWaitSeconds: { usual: 60, min: 1, max: 300 },
  longPollSeconds: { usual: 60, min: 1, max: 300 },
} as const satisfies Readonly<Record<string, LimitSetting>>

export type LimitName = keyof typeof limitSettings

/** Each bound in bytes, seconds, characters or as a count. */
export type LimitValues = Readonly<Record<LimitName, number>>

/**
 * Parses `COUNTERSIGN_LIMITS`: any number of `NAME=NUMBER`, separated by commas or spaces. If there
 * is an error, `problem` describes it, and no setting counts.
 */
export function readLimits(text: string): {
  readonly values: LimitValues
  readonly problem: string | null
} {
  const names = Object.keys(limitSettings) as LimitName[]
  const usual = Object.fromEntries(
    names.map((name) => [name, limitSettings[name].usual]),
  ) as unknown as Record<LimitName, number>
  const values = { ...usual }
  const settings = new Set<LimitName>()
  for (const part of text.split(/[,\s]+/).filter((one) => one !== '')) {
    const [, key = '', digits = ''] = /^(\w+)=([0-9]{1,15})$/.exec(part) ?? []
    const name = names.find((one) => one === key)
    if (name === undefined) {
      const what = `${JSON.stringify(part)} is not NAME=NUMBER with a name of: ${names.join(', ')}`
      return { values: usual, problem: what }
    }
    const { min, max } = limitSettings[name]
    const value = Number(digits)
    if (settings.has(name)) return { values: usual, problem: `${name} is there twice` }
    if (value < min || value > max) {
      return { values: usual, problem: `${name} must be from ${min} to ${max}` }
    }
    settings.add(name)
    values[name] = value
  }
  if (values.timeoutSeconds > values.timeoutMostSeconds) {
    return { values: usual, problem: 'timeoutSeconds must be at most timeoutMostSeconds' }
  }
  return { values, problem: null }
}

/** The release that was measured, in print mode with a scripted model, on Linux. */
const release = '2.1.332'

const runs = 'runs the call'
const denies = 'denies the call'
const asks = 'asks its own person'

/**
 * What Claude Code does when a hook fails, as measured: its head, then a row for each failure. The
 * last two columns are `onFailure: "block"`.
 */
export function measuredRows(): readonly (readonly string[])[] {
  return [
    [
      `A hook of Claude Code ${release}`,
      '`PreToolUse`',
      '`PermissionRequest`',
      '`PreToolUse`, `block`',
      '`PermissionRequest`, `block`',
    ],
    ['exits with 1, is killed, or is not found', runs, asks, denies, denies],
    ['exits with 2', denies, asks, denies, asks],
    ['is late', runs, asks, denies, denies],
    ['prints no JSON, an unknown shape, or nothing', runs, asks, runs, asks],
    ['over HTTP: nobody there, cut off, 401, 500', runs, asks, denies, denies],
    ['over HTTP: is late, answers no JSON', runs, asks, denies, denies],
    ['over HTTP: answers `{}`', runs, asks, runs, asks],
  ]
}

/** How a hook before a call fails: in the table, and as commands for a POSIX shell. */
const failures = {
  'exits with 1, or is killed': ['exit 1', 'kill -9 $$'],
  'is not found': ['/missing/hook'],
  'exits with 2 and a sentence': ['echo no >&2; exit 2'],
  'exits with 2 and no word': ['exit 2'],
  'is late': ['sleep 4; exit 2'],
  'prints no JSON, an unknown shape, or nothing': ['echo no', `echo '{"answer":"no"}'`, 'exit 0'],
} as const

type HookFailure = keyof typeof failures

const failureNames = Object.keys(failures) as HookFailure[]

/**
 * The failures after which each agent denies the call; `test/slow/agents` runs them with each
 * failure.
 */
const measured = {
  codex: { release: 'Codex 0.171.0', denied: ['exits with 2 and a sentence'] },
  'gemini-cli': {
    release: 'Gemini CLI 0.61.0',
    denied: ['is not found', 'exits with 2 and a sentence'],
  },
  'copilot-cli': {
    release: 'Copilot CLI 1.0.102',
    denied: [
      'exits with 1, or is killed',
      'is not found',
      'exits with 2 and a sentence',
      'exits with 2 and no word',
    ],
  },
} as const satisfies Readonly<
  Record<string, { readonly release: string; readonly denied: readonly HookFailure[] }>
>

export type MeasuredAgent = keyof typeof measured

/** Whether the agent makes a call whose hook fails like that. */
function isMade(name: MeasuredAgent, failure: HookFailure): boolean {
  const denied: readonly HookFailure[] = measured[name].denied
  return !denied.includes(failure)
}

/** Each hook that fails, as a command for a shell, and whether the agent then makes the call. */
export function measuredFailures(
  name: MeasuredAgent,
): readonly { readonly command: string; readonly isMade: boolean }[] {
  return failureNames.flatMap((failure) =>
    failures[failure].map((command) => ({ command, isMade: isMade(name, failure) })),
  )
}

/** The table of the other agents: its head, then a row for each failure. */
export function otherMeasuredRows(): readonly (readonly string[])[] {
  const names = Object.keys(measured) as MeasuredAgent[]
  const rows = failureNames.map((failure) => [
    failure,
    ...names.map((name) => (isMade(name, failure) ? runs : denies)),
  ])
  return [['A hook of', ...names.map((name) => measured[name].release)], ...rows]
}

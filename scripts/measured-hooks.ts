/** The release that was measured, in print mode with a scripted model, on Linux. */
const release = '2.1.331'

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

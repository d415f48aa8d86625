/** The command of a line that begins with `/`. */
export type SlashCommand =
  | { readonly name: 'help' | 'close' | 'mode' | 'input' | 'detach' }
  | { readonly name: 'file'; readonly path: string }
  | { readonly name: 'cancel'; readonly reason: string }
  | { readonly name: 'fork'; readonly afterTurn: number | null; readonly text: string }

/** Each command with its description, in the order of `/help`. */
export const slashCommands: Readonly<Record<SlashCommand['name'], readonly [string, string]>> = {
  help: ['/help', 'this list'],
  file: ['/file PATH', 'send a picture or text of this computer with your next message or fork'],
  fork: ['/fork [TURN] TEXT', 'continue from a turn in a new run; /fork 0 starts again'],
  close: ['/close', 'complete a run that waits for a message'],
  cancel: ['/cancel [REASON]', 'cancel the run and all its child runs'],
  mode: ['/mode', 'show how the run treats calls that ask'],
  input: ['/input', 'show the whole input of the calls of the last turn'],
  detach: ['/detach', 'leave; the run continues (Ctrl-C does the same)'],
}

/**
 * The command of a line; `null` for an unknown one. A message that begins with a slash is typed
 * with two slashes.
 */
export function slashCommandOf(line: string): SlashCommand | null {
  const [, word = '', rest = ''] = /^\/(\w+)\s*([^]*)$/.exec(line.trim()) ?? []
  if (!Object.hasOwn(slashCommands, word)) return null
  const name = word as SlashCommand['name']
  if (name === 'file') return { name, path: rest.trim().replace(/^(['"])(.*)\1$/, '$2') }
  if (name === 'cancel') return { name, reason: rest }
  if (name !== 'fork') return { name }
  const [, turn, text = ''] = /^(?:(\d{1,9})(?:\s+|$))?([^]*)$/.exec(rest) ?? []
  return { name, afterTurn: turn === undefined ? null : Number(turn), text }
}

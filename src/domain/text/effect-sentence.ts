/** Whose titles name the file that they touch, and nothing else of the arguments. */
const fileTools: ReadonlySet<string> = new Set([
  'write_file',
  'edit_file',
  'delete_file',
  'move_file',
  'read_file',
])
const longest = 300

/**
 * One line on what a request would do, for places outside of its page: mail, chat, webhooks, the browser's own notices.
 * Titles of file tools name the file; all others may be made of the arguments, of which nothing is told. `title` has
 * its secrets masked already (security.md 20, 23). Pure.
 */
export function effectSentence(request: {
  readonly kind: string
  readonly tool: string
  readonly title: string
}): string {
  const { kind, tool, title } = request
  if (kind === 'question') return 'A question for a person'
  if (tool === 'exec' || tool === 'shell') return 'Run a command'
  if (kind === 'external' || !fileTools.has(tool)) return `Call ${tool}`
  return title.length <= longest ? title : `${title.slice(0, longest)}…`
}

import { builtInTool, isCommandTool } from '../tools/built-in-tools.ts'

const longest = 300

/**
 * One line on what a request would do, for places outside of its page: mail, chat, webhooks, the
 * browser's own notices. A title is told where the tool declares that it may be; all others may be
 * made of the arguments, of which nothing is told. `title` has its secrets masked already
 * (security.md 20, 23). Pure.
 */
export function effectSentence(request: {
  readonly kind: string
  readonly tool: string
  readonly title: string
}): string {
  const { kind, tool, title } = request
  if (kind === 'start') return 'Start a run'
  // A program writes its titles itself, and may call a tool of its own by any name but those of
  // commands.
  const isOurs = kind !== 'external' || isCommandTool(tool)
  const notice = isOurs ? builtInTool(tool)?.notice : undefined
  if (typeof notice === 'object') return notice.sentence
  if (notice !== 'title') return `Call ${tool}`
  return title.length <= longest ? title : `${title.slice(0, longest)}…`
}

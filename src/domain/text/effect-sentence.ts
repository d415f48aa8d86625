import { builtInTool, isCommandTool } from '../tools/built-in-tools.ts'

const longest = 300

/**
 * One line on what a request would do, for mail, chat, webhooks and the browser's notices. A title
 * is used where the tool declares that it may be; others may be made of the arguments, and are left
 * out. The secrets of `title` are already masked (security.md 20, 23). Pure.
 */
export function effectSentence(request: {
  readonly kind: string
  readonly tool: string
  readonly title: string
}): string {
  const { kind, tool, title } = request
  if (kind === 'start') return 'Start a run'
  // A program writes its titles itself, and may give its own tool any name except a command's.
  const isOurs = kind !== 'external' || isCommandTool(tool)
  const notice = isOurs ? builtInTool(tool)?.notice : undefined
  if (typeof notice === 'object') return notice.sentence
  if (notice !== 'title') return `Call ${tool}`
  return title.length <= longest ? title : `${title.slice(0, longest)}…`
}

import { builtInTool, isCommandTool } from '../tools/built-in-tools.ts'
import { countWords } from './quantities/count-words.ts'

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

/** For people: `Edit a.md (+4 −1)` as `Edit a.md: 4 lines added, 1 line removed`. Pure. */
export function countsInWords(title: string): string {
  const [counts, added, removed] =
    /^ \((?:\+(\d{1,9}))? ?(?:−(\d{1,9}))?\)$/.exec(title.slice(title.lastIndexOf(' ('))) ?? []
  if (counts === undefined) return title
  const words = [
    ...(Number(added ?? 0) > 0 ? [`${countWords(Number(added), 'line')} added`] : []),
    ...(Number(removed ?? 0) > 0 ? [`${countWords(Number(removed), 'line')} removed`] : []),
  ]
  const start = title.slice(0, -counts.length)
  return words.length === 0 ? start : `${start}: ${words.join(', ')}`
}

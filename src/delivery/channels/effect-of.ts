import { hashBytes } from '../../domain/digest.ts'
import { maskSecrets } from '../../domain/text/secrets.ts'
import type { RequestFacts } from './happening.ts'

const fileTools: ReadonlySet<string> = new Set([
  'write_file',
  'edit_file',
  'delete_file',
  'move_file',
  'read_file',
])
const longestTitle = 300

/** One line on the effect. Titles of file tools name the file; all others may be made of the arguments (security.md 23). */
export function effectOf({
  kind,
  tool,
  title,
}: Pick<RequestFacts, 'kind' | 'tool' | 'title'>): string {
  if (kind === 'question') return 'A question for a person'
  if (tool === 'exec' || tool === 'shell') return 'Run a command'
  if (kind === 'external' || !fileTools.has(tool)) return `Call ${tool}`
  const masked = maskSecrets(title, hashBytes)
  return masked.length <= longestTitle ? masked : `${masked.slice(0, longestTitle)}…`
}

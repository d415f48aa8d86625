import { platform } from './platform.ts'
import { keysOf, type ShortcutId } from './shortcuts.ts'

/** The keys of a command, as this keyboard has them. */
export function Keys({ id }: { id: ShortcutId }) {
  return keysOf(id, platform).flatMap((key) => [<kbd key={key}>{key}</kbd>, ' '])
}

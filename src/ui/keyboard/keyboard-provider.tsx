import {
  createContext,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
  type ReactNode,
} from 'react'
import { isDialogOpen } from './open-dialog.ts'
import { keepLetter } from './opening-letters.ts'
import { matchKey } from './match-key.ts'
import { platform } from './platform.ts'
import { ariaKeysOf, type ShortcutId } from './shortcuts.ts'
import { commandIds, type CommandId } from './commands.ts'

interface Keyboard {
  readonly singleKeys: boolean
  readonly setSingleKeys: (on: boolean) => void
  readonly register: (id: CommandId, handler: () => void) => () => void
  /** the commands that do something on this page now */
  readonly commandsNow: () => CommandId[]
  readonly run: (id: CommandId) => void
}

const KeyboardContext = createContext<Keyboard | null>(null)
const storageKey = 'countersign.single-keys'
/** Commands that also work while a dialog is open. */
const inDialogs: ReadonlySet<ShortcutId> = new Set(['submit', 'submitNext', 'palette'])

/** Listens for keys once and calls whoever registered last for the command. */
export function KeyboardProvider({ children }: { children: ReactNode }) {
  const handlers = useRef(new Map<CommandId, (() => void)[]>())
  const [singleKeys, setSingle] = useState(() => localStorage.getItem(storageKey) !== 'off')
  const single = useRef(singleKeys)

  const setSingleKeys = useCallback((on: boolean) => {
    localStorage.setItem(storageKey, on ? 'on' : 'off')
    single.current = on
    setSingle(on)
  }, [])
  const register = useCallback((id: CommandId, handler: () => void) => {
    const before = handlers.current.get(id) ?? []
    handlers.current.set(id, [...before, handler])
    return () => {
      const left = (handlers.current.get(id) ?? []).filter((one) => one !== handler)
      handlers.current.set(id, left)
    }
  }, [])

  const commandsNow = useCallback(
    () => commandIds.filter((id) => (handlers.current.get(id) ?? []).length > 0),
    [],
  )
  const run = useCallback((id: CommandId) => handlers.current.get(id)?.at(-1)?.(), [])

  useEffect(() => {
    let pending: string | null = null
    let forget: ReturnType<typeof setTimeout> | undefined
    const onKeyDown = (event: KeyboardEvent): void => {
      if (keepLetter(event)) {
        event.preventDefault()
        return
      }
      const match = matchKey(
        { ...keyParts(event), typing: isTyping(event.composedPath()[0]) },
        pending,
        single.current,
      )
      pending = match.pending
      clearTimeout(forget)
      forget = setTimeout(() => (pending = null), 1_500)
      if (match.id === null) return
      if (isDialogOpen('[role="menu"]') && !inDialogs.has(match.id)) return
      const handler = handlers.current.get(match.id)?.at(-1)
      if (handler === undefined) return
      event.preventDefault()
      handler()
    }
    // Before anything else: a dialog that Escape is about to close is still open now.
    window.addEventListener('keydown', onKeyDown, { capture: true })
    return () => {
      window.removeEventListener('keydown', onKeyDown, { capture: true })
      clearTimeout(forget)
    }
  }, [])

  const keyboard = useMemo(
    () => ({ singleKeys, setSingleKeys, register, commandsNow, run }),
    [singleKeys, setSingleKeys, register, commandsNow, run],
  )
  return <KeyboardContext value={keyboard}>{children}</KeyboardContext>
}

/** The page's keyboard: whether single keys are commands, and the switch for it. */
export function useKeyboard(): Keyboard {
  const keyboard = useContext(KeyboardContext)
  if (keyboard === null) throw new Error('useKeyboard is for components inside KeyboardProvider')
  return keyboard
}

/** Runs `handler` for the command while the component is mounted; `null` leaves it to others. */
export function useShortcut(id: CommandId, handler: (() => void) | null): void {
  const { register } = useKeyboard()
  const latest = useRef(handler)
  useEffect(() => {
    latest.current = handler
  })
  const active = handler !== null
  useEffect(() => {
    if (!active) return undefined
    return register(id, () => latest.current?.())
  }, [id, active, register])
}

/** `aria-keyshortcuts` for the control that does the same; nothing while single keys are off. */
export function useAriaKeys(id: ShortcutId): { 'aria-keyshortcuts'?: string } {
  const { singleKeys } = useKeyboard()
  const keys = ariaKeysOf(id, platform)
  const usable = singleKeys || keys?.includes('+')
  return keys !== undefined && usable ? { 'aria-keyshortcuts': keys } : {}
}

function keyParts(event: KeyboardEvent) {
  const { key, ctrlKey, metaKey, altKey, shiftKey, repeat } = event
  return { key, ctrlKey, metaKey, altKey, shiftKey, repeat }
}

/** `target`: the innermost element, which may stand in a shadow root. */
function isTyping(target: EventTarget | undefined): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.isContentEditable || target instanceof HTMLTextAreaElement) return true
  if (target instanceof HTMLSelectElement) return true
  return (
    target instanceof HTMLInputElement && !['radio', 'checkbox', 'button'].includes(target.type)
  )
}

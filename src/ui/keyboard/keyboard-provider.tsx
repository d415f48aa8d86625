import {
  createContext,
  useCallback,
  useContext,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type ReactNode,
  type RefObject,
} from 'react'
import { isDialogOpen } from './open-dialog.ts'
import { keepLetter } from './opening-letters.ts'
import { matchKey } from './match-key.ts'
import { platform } from './platform.ts'
import { ariaKeysOf, type ShortcutId } from './shortcuts.ts'
import { commandIds, type CommandId } from './commands.ts'

/** An open menu, or its button while the menu's script is loaded. */
const openMenu = '[role="menu"], [aria-haspopup="menu"][aria-expanded="true"]'

/** What a command does, as `useShortcut` explains. */
interface Handler {
  readonly call: () => void
  readonly within: RefObject<HTMLElement | null> | null
  readonly place: RefObject<HTMLElement | null> | null
}

interface Keyboard {
  readonly singleKeys: boolean
  readonly setSingleKeys: (on: boolean) => void
  readonly register: (id: CommandId, handler: Handler) => () => void
  /** the commands that have a handler on this page, or in the element with the focus */
  readonly commandsNow: () => CommandId[]
  readonly run: (id: CommandId) => void
}

const KeyboardContext = createContext<Keyboard | null>(null)
const storageKey = 'countersign.single-keys'
/** Commands that also work while a dialog is open. */
const inDialogs: ReadonlySet<ShortcutId> = new Set(['submit', 'submitNext', 'palette'])

/** Listens for keys in one place and calls the newest handler of the command. */
export function KeyboardProvider({ children }: { children: ReactNode }) {
  const handlers = useRef(new Map<CommandId, Handler[]>())
  const [singleKeys, setSingle] = useState(() => localStorage.getItem(storageKey) !== 'off')
  const single = useRef(singleKeys)

  const setSingleKeys = useCallback((on: boolean) => {
    localStorage.setItem(storageKey, on ? 'on' : 'off')
    single.current = on
    setSingle(on)
  }, [])
  const register = useCallback((id: CommandId, handler: Handler) => {
    const before = handlers.current.get(id) ?? []
    handlers.current.set(id, [...before, handler])
    return () => {
      const others = (handlers.current.get(id) ?? []).filter((one) => one !== handler)
      handlers.current.set(id, others)
    }
  }, [])

  const commandsNow = useCallback(
    () => commandIds.filter((id) => handlerNow(handlers.current, id) !== undefined),
    [],
  )
  const run = useCallback((id: CommandId) => handlerNow(handlers.current, id)?.call(), [])

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
      const handler = handlerFor(handlers.current.get(match.id) ?? [], event.target)
      if (handler === undefined) return
      if (!inDialogs.has(match.id) && isDialogOpen(openMenu, handler.place?.current)) return
      event.preventDefault()
      handler.call()
    }
    // In the capture phase, while a dialog that Escape is about to close is still open.
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

/** Whether single keys are commands, and the switch for it. */
export function useKeyboard(): Keyboard {
  const keyboard = useContext(KeyboardContext)
  if (keyboard === null) throw new Error('useKeyboard is for components inside KeyboardProvider')
  return keyboard
}

/** The newest handler of the element with the focus; without one, of the page. */
function handlerFor(all: readonly Handler[], target: EventTarget | null): Handler | undefined {
  const isHere = ({ within }: Handler): boolean =>
    target instanceof Node && within?.current?.contains(target) === true
  return all.findLast(isHere) ?? all.findLast(({ within }) => within === null)
}

/** What a command does without its key: the same as its key would. */
function handlerNow(
  handlers: ReadonlyMap<CommandId, readonly Handler[]>,
  id: CommandId,
): Handler | undefined {
  return handlerFor(handlers.get(id) ?? [], document.activeElement)
}

/**
 * Runs `handler` for the command while the component is mounted; `null` leaves it to others.
 * `within`: only for keys that are pressed in this element, and before all others there. `place`:
 * an element of the component; the keys also work in an open dialog that holds it.
 */
export function useShortcut(
  id: CommandId,
  handler: (() => void) | null,
  within: RefObject<HTMLElement | null> | null = null,
  place: RefObject<HTMLElement | null> | null = null,
): void {
  const { register } = useKeyboard()
  const latest = useRef(handler)
  // Before the browser paints: what is on the screen has its keys.
  useLayoutEffect(() => {
    latest.current = handler
  })
  const active = handler !== null
  useLayoutEffect(() => {
    if (!active) return undefined
    return register(id, { call: () => latest.current?.(), within, place })
  }, [id, active, register, within, place])
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

/** `target` is the innermost element, which may be in a shadow root. */
function isTyping(target: EventTarget | undefined): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.isContentEditable || target instanceof HTMLTextAreaElement) return true
  if (target instanceof HTMLSelectElement) return true
  return (
    target instanceof HTMLInputElement && !['radio', 'checkbox', 'button'].includes(target.type)
  )
}

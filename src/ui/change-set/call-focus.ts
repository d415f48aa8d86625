import { useRef } from 'react'
import { goToPlace } from '../runs/turns/go-to-place.ts'
import type { ChangeEntry } from './change-entries.ts'

const cardClass = '.change-call'

/** Scrolls to a call and sets the focus on it. */
export function showCall(key: string): void {
  const card = cardOf(key)
  if (card !== null) show(card)
}

/** Chooses for a call by its own control, which gets the focus. Nothing is submitted by that. */
export function choose(entry: ChangeEntry | undefined, choice: 'approve' | 'deny'): void {
  if (entry === undefined) return
  const option = cardOf(entry.key)?.querySelector<HTMLInputElement>(`input[value="${choice}"]`)
  option?.focus()
  option?.click()
}

/**
 * The call that keys act on: the one with the focus, or the last one that had it. `goToCall` and
 * `goToFile` move the focus by one; files count only in calls that change several.
 */
export function useCallFocus(entries: readonly ChangeEntry[]) {
  const last = useRef<Element | null>(null)
  const here = (): Element | null => {
    const focused = document.activeElement
    if (cardAround(focused) !== null) last.current = focused
    return last.current?.isConnected ? last.current : null
  }
  const current = (): ChangeEntry | undefined => {
    const id = cardAround(here())?.id
    return entries.find(({ key }) => `call-${key}` === id) ?? entries[0]
  }
  const go = (stops: readonly HTMLElement[], step: 1 | -1): void => {
    const at = here()
    const index = at === null ? -1 : stops.findLastIndex((stop) => isBefore(stop, at))
    const next = stops[Math.min(Math.max(index + step, 0), stops.length - 1)]
    if (next !== undefined) {
      show(next)
      last.current = next
    }
  }
  const goToCall = (step: 1 | -1): void => go(cards(), step)
  const goToFile = (step: 1 | -1): void => go(cards().flatMap(filesOf), step)
  return { current, goToCall, goToFile }
}

function cards(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(cardClass)]
}

function filesOf(card: HTMLElement): readonly HTMLElement[] {
  const files = [...card.querySelectorAll<HTMLElement>('.file')]
  return files.length > 1 ? files : [card]
}

function isBefore(stop: Element, at: Element): boolean {
  return (
    stop.contains(at) || (stop.compareDocumentPosition(at) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0
  )
}

/** The call that an element belongs to. */
export function cardAround(element: Element | null): HTMLElement | null {
  return element?.closest<HTMLElement>(cardClass) ?? null
}

function cardOf(key: string): HTMLElement | null {
  return document.getElementById(`call-${key}`)
}

function show(stop: HTMLElement): void {
  goToPlace(stop, 'start')
  stop.focus({ preventScroll: true })
}

/** A press of the same key at most this time after the previous one is a repetition, not text. */
const pauseMs = 600

/**
 * Focuses a text field, with the caret at its end, because `key` was pressed outside of it. Further
 * presses of that key without a pause do not become text: the person has not seen yet that the
 * focus has moved.
 */
export function focusAfterKey(field: HTMLTextAreaElement, key: string): void {
  field.focus()
  field.setSelectionRange(field.value.length, field.value.length)
  let lastMs = performance.now()
  const leaveOut = (event: KeyboardEvent): void => {
    const isSame = event.key.toLowerCase() === key.toLowerCase()
    if (!isSame || event.timeStamp - lastMs > pauseMs) {
      field.removeEventListener('keydown', leaveOut)
      return
    }
    lastMs = event.timeStamp
    event.preventDefault()
  }
  field.addEventListener('keydown', leaveOut)
}

import { Button, TextInput } from '@mantine/core'
import { useState } from 'react'
import { goToPlace } from './go-to-place.ts'
import './go-to-turn.css'

/** With fewer turns, scrolling is as fast. */
const fewTurns = 20

/** The id of the element of a turn on the page of its run. */
export function turnPlace(turn: number): string {
  return `turn-${turn}`
}

/** A field that leads to a turn of a long run. */
export function GoToTurn({ last }: { last: number }) {
  const [text, setText] = useState('')
  const [isMissing, setMissing] = useState(false)
  if (last <= fewTurns) return null
  const go = (): void => {
    const place = document.getElementById(turnPlace(Number(text)))
    setMissing(place === null)
    if (place === null) return
    goToPlace(place, 'start')
    place.focus({ preventScroll: true })
  }
  return (
    <form
      className="go-to-turn"
      onSubmit={(event) => {
        event.preventDefault()
        go()
      }}
    >
      <TextInput
        size="xs"
        inputMode="numeric"
        aria-label={`Turn, 1 to ${last}`}
        placeholder={`Turn, 1 to ${last}`}
        value={text}
        error={isMissing ? 'There is no such turn.' : null}
        onChange={(event) => {
          setText(event.currentTarget.value)
          setMissing(false)
        }}
      />
      <Button type="submit" size="xs" variant="default" disabled={text.trim() === ''}>
        Go
      </Button>
    </form>
  )
}

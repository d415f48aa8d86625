import { Button } from '@mantine/core'
import { useId } from 'react'
import { useAriaKeys } from '../../keyboard/keyboard-provider.tsx'
import { Keys } from '../../keyboard/keys.tsx'
import { VisibleText } from '../../text/visible-text.tsx'
import type { StartRefusal } from './use-start.ts'

/** The button of a form that starts a run, and beside it why the run would not start. */
export function StartButton(props: {
  words: string
  busy: boolean
  obstacle: StartRefusal | null
}) {
  const { words, busy, obstacle } = props
  const keys = useAriaKeys('submit')
  const obstacleId = useId()
  return (
    <div className="row">
      {/* It keeps the focus and says why, where a disabled button would be passed over. */}
      <Button
        type="submit"
        loading={busy}
        {...(obstacle !== null && {
          'data-disabled': true,
          'aria-disabled': true,
          'aria-describedby': obstacleId,
        })}
        {...keys}
      >
        {words}
      </Button>
      {obstacle === null ? (
        <span className="dim small key-hint">
          <Keys id="submit" />
        </span>
      ) : (
        <span id={obstacleId} className="small grow break start-obstacle">
          <VisibleText text={obstacle.message} />
        </span>
      )}
    </div>
  )
}

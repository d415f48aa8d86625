import { Button } from '@mantine/core'
import { useAriaKeys, useKeyboard } from '../../keyboard/keyboard-provider.tsx'
import { Keys } from '../../keyboard/keys.tsx'
import { verbs } from '../../words/verbs.ts'

/** The controls that submit a decision, and the keys that do the same. */
export function SubmitRow(props: {
  /** the words of the control that submits */
  words: string
  isDenial: boolean
  disabled: boolean
  /** a second press of A or D does not submit */
  onlyByChord: boolean
  /** submits, then shows the next request; null: nothing comes next */
  onSubmitNext: (() => void) | null
}) {
  const { words, isDenial, disabled, onlyByChord, onSubmitNext } = props
  const { singleKeys } = useKeyboard()
  const submitKeys = useAriaKeys('submit')
  const nextKeys = useAriaKeys('submitNext')
  return (
    <>
      <div className="row submit-row">
        <Button
          type="submit"
          color={isDenial ? 'red' : 'indigo'}
          disabled={disabled}
          {...submitKeys}
        >
          {words}
        </Button>
        {onSubmitNext !== null && (
          <Button variant="default" disabled={disabled} onClick={onSubmitNext} {...nextKeys}>
            {verbs.submitNext}
          </Button>
        )}
      </div>
      {singleKeys && (
        <p className="small dim key-hint" aria-hidden>
          {onlyByChord ? (
            <>
              <Keys id="submit" /> submits.
            </>
          ) : (
            'A or D, pressed twice, submits.'
          )}
        </p>
      )}
    </>
  )
}

import { Button, Textarea } from '@mantine/core'
import { useRef, type ReactNode } from 'react'
import { useKeyboard } from '../../../keyboard/keyboard-provider.tsx'
import { reasonPresets, withPreset, type ReasonPreset } from './reason-presets.ts'

/**
 * The field for the reason of a denial, with presets for frequent reasons, which digits choose too
 * while the focus is on the decision.
 */
export function DenialReason(props: {
  description: ReactNode
  required: boolean
  minRows: number
  disabled: boolean
  value: string
  onChange: (reason: string) => void
}) {
  const { value, onChange, ...field } = props
  const { singleKeys } = useKeyboard()
  const text = useRef<HTMLTextAreaElement>(null)
  /** Puts the preset before the typed text and the caret at the end. */
  const begin = (preset: ReasonPreset): void => {
    onChange(withPreset(preset, value))
    text.current?.focus()
    requestAnimationFrame(() => {
      const { length } = text.current?.value ?? ''
      text.current?.setSelectionRange(length, length)
    })
  }
  return (
    <div className="column">
      <Textarea
        ref={text}
        label="Reason"
        autosize
        maxRows={8}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        {...field}
      />
      <div role="group" aria-label="Presets" className="row">
        {reasonPresets.map((preset, index) => (
          <Button
            key={preset}
            size="compact-sm"
            variant="default"
            disabled={field.disabled}
            onClick={() => begin(preset)}
            rightSection={singleKeys ? <kbd aria-hidden>{index + 1}</kbd> : null}
          >
            {preset}
          </Button>
        ))}
      </div>
    </div>
  )
}

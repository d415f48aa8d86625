import { Button, Textarea } from '@mantine/core'
import { useRef } from 'react'
import { useKeyboard } from '../keyboard/keyboard-provider.tsx'
import { reasonPresets, withPreset, type ReasonPreset } from './reason-presets.ts'

/** The field for the reason of a denial, with presets for frequent reasons. */
export function DenialReason(props: {
  description: string
  required: boolean
  minRows: number
  /** digits choose the presets too, where the decision is chosen */
  hasDigits?: boolean
  disabled: boolean
  value: string
  onChange: (reason: string) => void
}) {
  const { value, onChange, hasDigits = false, ...field } = props
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
            rightSection={hasDigits && singleKeys ? <kbd aria-hidden>{index + 1}</kbd> : null}
          >
            {preset}
          </Button>
        ))}
      </div>
    </div>
  )
}

import { Radio } from '@mantine/core'
import type { ReactNode } from 'react'
import './choices.css'

/** One option of a radio field. */
export interface RadioOption<T extends string> {
  readonly value: T
  readonly label: ReactNode
  readonly description?: string
  readonly disabled?: boolean
}

/** A question with its options. None is selected at first. */
export function RadioField<T extends string>(props: {
  legend: string
  name: string
  options: readonly RadioOption<T>[]
  value: T | null
  onChoose: (value: T) => void
  disabled: boolean
}) {
  const { legend, name, options, value, onChoose, disabled } = props
  return (
    <fieldset className="choices" disabled={disabled}>
      <legend>{legend}</legend>
      {options.map((option) => (
        <Radio
          key={option.value}
          className="choice"
          name={name}
          {...option}
          checked={value === option.value}
          onChange={() => onChoose(option.value)}
        />
      ))}
    </fieldset>
  )
}

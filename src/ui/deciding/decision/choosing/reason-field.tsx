import { Textarea } from '@mantine/core'
import type { ReactNode } from 'react'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { DenialReason } from './denial-reason.tsx'
import { whyReasonOf, type Choice } from './decision-body.ts'

/** The field for the reason of a decision; that of a denial has presets. */
export function ReasonField(props: {
  request: RequestDetail
  choice: Choice | null
  /** who reads the reason of a denial */
  denialReaders: ReactNode
  disabled: boolean
  value: string
  onChange: (reason: string) => void
}) {
  const { request, choice, disabled, value, onChange } = props
  const required = whyReasonOf(choice, request) !== null
  if (choice === 'deny' || choice === 'stop') {
    return (
      <DenialReason
        description={props.denialReaders}
        required={required}
        minRows={2}
        disabled={disabled}
        value={value}
        onChange={onChange}
      />
    )
  }
  return (
    <Textarea
      label="Reason"
      description="Recorded with the decision."
      required={required}
      autosize
      minRows={2}
      maxRows={8}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

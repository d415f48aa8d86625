import { UnstyledButton } from '@mantine/core'
import { copyText } from './copy-text.ts'

/** A shortened digest. A click copies the whole digest. */
export function Hash({ value, what }: { value: string; what: string }) {
  const digits = value.replace(/^sha256:/, '')
  return (
    <UnstyledButton
      className="mono hash"
      title={`${value} (click to copy)`}
      onClick={() => void copyText(value, what)}
    >
      <span className="visually-hidden">Copy the {what} </span>
      {digits.slice(0, 8)}…{digits.slice(-4)}
    </UnstyledButton>
  )
}

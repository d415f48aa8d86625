import { UnstyledButton } from '@mantine/core'
import { copyText } from './copy-text.ts'

/** A digest in short form; a click copies the whole. */
export function Hash({ value, what }: { value: string; what: string }) {
  const digits = value.replace(/^sha256:/, '')
  return (
    <UnstyledButton
      className="mono hash"
      title={`${value} (click to copy)`}
      aria-label={`Copy the ${what} ${value}`}
      onClick={() => void copyText(value, what)}
    >
      {digits.slice(0, 8)}…{digits.slice(-4)}
    </UnstyledButton>
  )
}

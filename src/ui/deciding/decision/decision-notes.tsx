import { Button } from '@mantine/core'
import { copyText } from '../../text/copy-text.ts'

/** The text that somebody wrote for a decision that can no longer be sent. It can be copied. */
export function UnsentNote({ text }: { text: string }) {
  return (
    <div className="kept-note">
      <p className="small dim">Your note, not sent:</p>
      <p className="break">{text}</p>
      <Button size="xs" variant="default" onClick={() => void copyText(text, 'Note')}>
        Copy my note
      </Button>
    </div>
  )
}

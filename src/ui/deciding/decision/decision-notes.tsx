import { Button } from '@mantine/core'
import { Link } from 'react-router'
import { copyText } from '../../text/copy-text.ts'

/** What an approval with a signature requires, and why the last attempt failed. */
export function SignatureNote({ problem }: { problem: string | null }) {
  return (
    <>
      <p className="small dim">
        An approval needs <Link to="/account">your passkey</Link>: it signs this very revision and
        digest with your reason, and the signature is kept with the decision.
      </p>
      {problem !== null && (
        <p role="alert" className="obstacle">
          Not signed, and nothing was sent. {problem}
        </p>
      )}
    </>
  )
}

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

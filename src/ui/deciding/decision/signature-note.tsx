import { Link } from 'react-router'

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

import { Hash } from '../text/hash.tsx'

/** A digest and its subject, the end of "Digest of"; `what`: for screen readers. */
interface NamedDigest {
  readonly of: string
  readonly value: string
  readonly what: string
}

/** Digests, folded: nobody needs them to understand the page. */
export function DigestProof({ digests }: { digests: readonly NamedDigest[] }) {
  return (
    <details>
      <summary className="small">Proof</summary>
      {digests.map(({ of, value, what }) => (
        <p key={of} className="small">
          Digest of {of}: <Hash value={value} what={what} />
        </p>
      ))}
    </details>
  )
}

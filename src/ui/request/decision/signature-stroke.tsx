/**
 * The signature of the mark: drawn as far as a quorum has come, whole when it is met. What it shows
 * stands in words beside it.
 */
export function SignatureStroke({ counted, needed }: { counted: number; needed: number }) {
  const part = needed === 0 ? 1 : Math.min(1, counted / needed)
  return (
    <svg className="signature-stroke" viewBox="5 7 22 19" aria-hidden>
      <path className="signature-line" d="M7 24.5h18" />
      <path className="signature-rest" d={stroke} />
      {part > 0 && (
        <path className="signature-drawn" d={stroke} pathLength={1} strokeDasharray={`${part} 1`} />
      )}
    </svg>
  )
}

const stroke =
  'M7 19.5c3.2-7.6 5.4-9.6 6.6-8.8 1.7 1.1-2.4 8.6.1 9 2.2.3 3.3-4.5 5.1-4.3 1.5.2.5 3.4 2.1 3.6 1.2.2 2.2-.9 4.1-2.4'

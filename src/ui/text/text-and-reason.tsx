import { VisibleText } from './visible-text.tsx'

/** A sentence about policy, and the reason in its file. */
export function TextAndReason({ line }: { line: { text: string; reason: string | null } }) {
  return (
    <>
      <VisibleText text={line.text} />
      {line.reason !== null && (
        <span className="dim">
          {' '}
          · <VisibleText text={line.reason} />
        </span>
      )}
    </>
  )
}

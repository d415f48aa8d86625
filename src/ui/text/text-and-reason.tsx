import { VisibleText } from './visible-text.tsx'

/** What a line of policy says, and the reason that its file gives. */
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

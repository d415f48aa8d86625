import { use, useMemo, useState } from 'react'
import { LinesView } from '../../effect/lines-view.tsx'
import { partsOf, SecretsContext } from '../../text/secret-chips.tsx'
import { visibleString } from '../../text/visible-string.ts'

/**
 * A text that is folded at first. Until it is opened, it is a single piece of plain text, because a
 * long run has thousands of them. The browser's search still finds the text and opens it.
 */
export function FoldedText({ summary, text }: { summary: string; text: string }) {
  const [isOpen, setOpen] = useState(false)
  const masks = use(SecretsContext) !== null
  const plain = useMemo(() => plainText(text, masks), [text, masks])
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="small">{summary}</summary>
      {isOpen ? (
        <LinesView text={text} showFinalNewline={false} />
      ) : (
        <pre className="folded-text">{plain}</pre>
      )}
    </details>
  )
}

/** The text with its hidden characters named and its secrets left out. */
function plainText(text: string, masks: boolean): string {
  const lines = text.split('\n')
  if (!masks) return lines.map(visibleString).join('\n')
  return lines
    .map((line) =>
      partsOf(line)
        .map((part) => (part.secret === null ? visibleString(part.text) : part.secret.kind))
        .join(''),
    )
    .join('\n')
}

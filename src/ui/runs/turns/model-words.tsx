import { later } from '../../states/later.tsx'
import { VisibleText } from '../../text/visible-text.tsx'

/** A model's words: plain text until the Markdown parser is loaded. */
export const ModelWords = later(
  () =>
    import('../../text/markdown.tsx').then(
      (module) => module.Markdown,
      () => PlainText,
    ),
  ({ text }) => (
    <span aria-busy="true">
      <VisibleText text={text} />
    </span>
  ),
)

function PlainText({ text }: { text: string }) {
  return <VisibleText text={text} />
}

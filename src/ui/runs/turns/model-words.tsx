import { later } from '../../states/later.tsx'
import { VisibleText } from '../../text/visible-text.tsx'

/**
 * The words of a model: plain text until the Markdown parser, which is loaded on demand, is ready.
 */
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

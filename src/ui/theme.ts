import { createTheme, defaultVariantColorsResolver } from '@mantine/core'
import { verbs } from './words/verbs.ts'

// A scroll lock injects a style element, so `styles/base.css` locks the scroll instead.
const overPage = {
  lockScroll: false,
  overlayProps: { opacity: 0.4 },
  closeButtonProps: { 'aria-label': verbs.close },
}

/**
 * The settings that Mantine needs in script. Colours, fonts and radii are custom properties in
 * `styles/theme.css`, because the content security policy refuses injected style elements.
 */
export const theme = createTheme({
  primaryColor: 'indigo',
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  // The accent colour is for decisions: a button without a border has the colour of the text.
  variantColorResolver: (input) => {
    const isPlain = input.variant === 'subtle' && input.color === input.theme.primaryColor
    return defaultVariantColorsResolver(isPlain ? { ...input, color: 'gray' } : input)
  },
  components: {
    Modal: { defaultProps: { ...overPage, centered: true } },
    Drawer: { defaultProps: overPage },
    Tooltip: { defaultProps: { withinPortal: true, multiline: true } },
  },
})

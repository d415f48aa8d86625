import { styleText } from 'node:util'

/**
 * Styles if the terminal supports them; plain text with `NO_COLOR` and in pipes. Words say the
 * same.
 */
export const bold = (text: string): string => styleText('bold', text)
export const dim = (text: string): string => styleText('dim', text)
export const red = (text: string): string => styleText('red', text)
export const green = (text: string): string => styleText('green', text)
export const yellow = (text: string): string => styleText('yellow', text)
export const cyan = (text: string): string => styleText('cyan', text)

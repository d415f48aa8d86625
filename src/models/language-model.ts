import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModel } from 'ai'
import type { ModelProvider } from '#policy/worker/model-name.ts'
import { ModelProblem } from './model.ts'
import type { ProviderSettings } from './model-settings.ts'

/**
 * The AI SDK's model for a provider's id. Throws a `ModelProblem` that names the variable when one
 * is missing.
 */
export function languageModel(
  provider: ModelProvider,
  id: string,
  settings: ProviderSettings,
): LanguageModel {
  if (settings.missing !== null) {
    throw new ModelProblem(
      `The model ${provider}:${id} needs the environment variable ${settings.missing}, which is not set.`,
      { retryable: false },
    )
  }
  const apiKey = settings.apiKey ?? ''
  const baseURL = settings.baseUrl === null ? {} : { baseURL: settings.baseUrl }
  switch (provider) {
    case 'anthropic':
      return createAnthropic({ apiKey, ...baseURL })(id)
    case 'openai':
      return createOpenAI({ apiKey, ...baseURL })(id)
    case 'google':
      return createGoogleGenerativeAI({ apiKey, ...baseURL })(id)
    case 'openai-compatible':
      return createOpenAICompatible({
        name: 'openai-compatible',
        baseURL: settings.baseUrl ?? '',
        // Without it a streamed answer has no usage.
        includeUsage: true,
        ...(settings.apiKey === null ? {} : { apiKey }),
      })(id)
  }
}

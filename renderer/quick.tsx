import './locale';
import { t } from '../shared/messages';
import { mount } from './frame';
import { QuickWindow } from './quick/quick-window';

mount(t('quick.title'), <QuickWindow />);

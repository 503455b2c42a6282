//! clap's types for the subcommands `break` and `check`, which show and judge the ten broken programs of the
//! exercises. The doc comments are the texts of `--help` in both languages.

use clap::{ArgAction, Args};
use clap_complete::ArgValueCandidates;
use informer_lab::exercises::{CheckSettings, Exercise, ExerciseView, ProgramLanguage, WatchProgram};

use super::request::Request;
use super::{completion, values};

#[derive(Debug, Args)]
pub struct BreakArgs {
    /// Describe this exercise, by its name or its number
    ///
    /// 哪个练习：名字或编号
    #[arg(
        value_name = "NAME",
        value_parser = values::exercise,
        add = ArgValueCandidates::new(completion::exercise_names)
    )]
    exercise: Option<&'static Exercise>,
    /// Choose the language of the programs
    ///
    /// 程序用哪种语言
    #[arg(long = "in", value_name = "LANGUAGE", value_enum, default_value_t)]
    language: ProgramLanguage,
    /// Show a hint; given twice, the next hint too
    ///
    /// 提示；写两次就再给一条
    #[arg(long, action = ArgAction::Count, requires = "exercise", conflicts_with = "solution")]
    hint: u8,
    /// Show the fixed program, once yours is right
    ///
    /// 修好的程序，你的程序修好之后才显示
    #[arg(long, requires = "exercise")]
    solution: bool,
    /// Show the fixed program, even if yours is not right
    ///
    /// 你的程序还没修好，也显示修好的程序
    #[arg(long, requires = "solution")]
    anyway: bool,
    /// Forget which exercises are fixed
    ///
    /// 清空进度，即哪些练习已经修好
    #[arg(long, conflicts_with_all = ["exercise", "hint", "solution", "anyway"])]
    reset: bool,
}

#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Check this exercise, by its name or its number [default: the first that is not fixed yet]
    ///
    /// 哪个练习：名字或编号 [默认：第一个还没修好的]
    #[arg(
        value_name = "NAME",
        value_parser = values::exercise,
        add = ArgValueCandidates::new(completion::exercise_names)
    )]
    exercise: Option<&'static Exercise>,
    /// Choose the language of the programs
    ///
    /// 程序用哪种语言
    #[arg(long = "in", value_name = "LANGUAGE", value_enum, default_value_t)]
    language: ProgramLanguage,
    /// Judge the program again each time it is saved, until it is right
    ///
    /// 每次保存程序都检查一次，直到修好
    #[arg(long)]
    watch: bool,
}

impl BreakArgs {
    pub fn request(self) -> Request {
        let Self { exercise, language, hint, solution, anyway, reset } = self;
        match (exercise, solution, anyway) {
            _ if reset => Request::ResetExercises,
            (None, ..) => Request::Exercises(language),
            (Some(exercise), true, true) => Request::Exercise(exercise, language, ExerciseView::SolutionAnyway),
            (Some(exercise), true, false) => Request::Exercise(exercise, language, ExerciseView::Solution),
            (Some(exercise), false, _) if hint > 0 => {
                Request::Exercise(exercise, language, ExerciseView::Hints(hint.into()))
            }
            (Some(exercise), false, _) => Request::Exercise(exercise, language, ExerciseView::Symptom),
        }
    }
}

impl CheckArgs {
    pub fn settings(self) -> CheckSettings {
        let Self { exercise, language, watch } = self;
        let watch = if watch { WatchProgram::UntilRight } else { WatchProgram::No };
        CheckSettings { exercise, language, watch }
    }
}

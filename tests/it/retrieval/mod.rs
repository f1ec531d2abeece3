mod meaning;
mod passages;
mod uploads;
